"""Object stores on this machine: in memory, a folder, and a SeaweedFS server."""
