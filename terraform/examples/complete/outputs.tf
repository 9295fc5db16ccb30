output "url" {
  description = "URL of the endpoint."
  value       = module.gateway.url
}

output "cursor_keys_secret" {
  description = "Secret to put a key into: skills-gateway keygen prints one."
  value       = aws_secretsmanager_secret.cursor_keys.name
}

output "github_variables" {
  description = "Repository variables for examples/ci/github-skills.yml."
  value = {
    SKILLS_ROLE   = module.gateway.publisher_role_arns["skills"]
    SKILLS_REGION = var.region
    SKILLS_TARGET = module.gateway.publish_target
  }
}

output "alarm_topic_arn" {
  description = "Topic to subscribe to for alarms."
  value       = aws_sns_topic.alarms.arn
}
