terraform {
  # Secrets that never reach the state (ephemeral variables, write-only arguments) came with 1.11.
  required_version = "~> 1.11"

  required_providers {
    minio = {
      source  = "aminueza/minio"
      version = "~> 3.40"
    }
  }
}
