output "bucket_name" {
  description = "Name of the bucket, for GATEWAY_BUCKET."
  value       = minio_s3_bucket.this.bucket
}

output "policy_names" {
  description = "Policies of readers and publishers, to attach to further users, groups or OpenID claims."
  value       = { for role, policy in minio_iam_policy.this : role => policy.name }
}

output "access_keys" {
  description = "Users by name, with what they may do; a user's name is its access key (AWS_ACCESS_KEY_ID)."
  value       = var.users
}
