variable "region" {
  description = "Region of everything."
  type        = string
  nullable    = false
}

variable "vpc_id" {
  description = "VPC of the service."
  type        = string
  nullable    = false
}

variable "public_subnet_ids" {
  description = "Subnets of the load balancer, in two availability zones or more."
  type        = list(string)
  nullable    = false
}

variable "private_subnet_ids" {
  description = "Subnets of the tasks, with a NAT gateway."
  type        = list(string)
  nullable    = false
}

variable "client_cidrs" {
  description = "Networks that may reach the load balancer."
  type        = list(string)
  nullable    = false
}

variable "host_name" {
  description = "Name under which clients reach the gateway, in the hosted zone."
  type        = string
  nullable    = false
}

variable "zone_id" {
  description = "Hosted zone of Route 53 for host_name."
  type        = string
  nullable    = false
}

variable "bucket_name" {
  description = "Bucket that is made for the skills."
  type        = string
  nullable    = false
}

variable "image" {
  description = "Image of the gateway in the registry, with tag or digest."
  type        = string
  nullable    = false
}

variable "ecr_repository_arn" {
  description = "Repository of ECR that holds the image."
  type        = string
  nullable    = false
}

variable "issuer" {
  description = "Identity provider whose tokens are taken, exactly as in their iss."
  type        = string
  nullable    = false

  validation {
    condition     = startswith(var.issuer, "https://")
    error_message = "An issuer is an https URL."
  }
}

variable "repository" {
  description = "GitHub repository that publishes, as owner/name."
  type        = string
  nullable    = false
}
