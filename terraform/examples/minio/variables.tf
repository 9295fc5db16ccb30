variable "user_secrets" {
  description = "Secret keys of the users skills-gateway and skills-ci."
  type        = map(string)
  ephemeral   = true
  sensitive   = true
  nullable    = false
}
