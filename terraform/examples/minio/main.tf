# A bucket in a MinIO that runs already, one user that reads and one that publishes.
#
#   export MINIO_ENDPOINT=minio.example.com:9000 MINIO_USER=... MINIO_PASSWORD=...
#   export TF_VAR_user_secrets='{"skills-gateway": "...", "skills-ci": "..."}'
#   terraform init && terraform apply

provider "minio" {
  minio_ssl = true
}

module "skills" {
  source = "../../modules/minio"

  bucket_name = "skills"
  prefix      = "team/"
  users = {
    skills-gateway = "reader"
    skills-ci      = "publisher"
  }
  user_secrets = var.user_secrets
}
