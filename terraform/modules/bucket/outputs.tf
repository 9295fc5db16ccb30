output "name" {
  description = "Name of the bucket, for GATEWAY_BUCKET."
  value       = aws_s3_bucket.this.id
}

output "arn" {
  description = "ARN of the bucket, for policies."
  value       = aws_s3_bucket.this.arn
}

output "kms_key_arn" {
  description = "Key that encrypts the objects; empty for S3's own."
  value       = var.kms_key_arn
}
