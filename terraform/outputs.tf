output "url" {
  description = "URL of the endpoint, once host_name points to the load balancer."
  value       = module.service.url
}

output "balancer" {
  description = "DNS name and hosted zone of the load balancer, for an alias record of host_name."
  value       = module.service.balancer
}

output "bucket_name" {
  description = "Bucket of the skills."
  value       = module.bucket.name
}

output "publish_target" {
  description = "Where to publish to: skills-gateway publish DIR TARGET."
  value       = "s3://${module.bucket.name}/${var.bucket.prefix}"
}

output "reader_role_arn" {
  description = "Role with which the gateway reads the bucket."
  value       = module.service.reader_role_arn
}

output "publisher_role_arns" {
  description = "Roles that publish, by short name (SKILLS_ROLE in examples/ci)."
  value       = { for name, publisher in module.publisher : name => publisher.role_arn }
}

output "alarm_arns" {
  description = "Alarms, by what they watch."
  value       = module.service.alarm_arns
}
