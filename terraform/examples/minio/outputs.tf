output "settings" {
  description = "Settings of a gateway over the bucket, beside GATEWAY_ENDPOINT_URL and the credentials of skills-gateway."
  value = {
    GATEWAY_BUCKET = module.skills.bucket_name
    GATEWAY_PREFIX = "team/"
  }
}
