output "role_arn" {
  description = "ARN of the role, for role-to-assume in the workflow (SKILLS_ROLE in examples/ci)."
  value       = aws_iam_role.this.arn
}

output "subjects" {
  description = "Subjects of the tokens that may take the role."
  value       = local.subjects
}
