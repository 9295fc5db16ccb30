variable "name" {
  description = "Name of the service and of what belongs to it, 2 to 24 characters."
  type        = string
  default     = "skills-gateway"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "2 to 24 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "bucket" {
  description = "Bucket that is made: its name, the prefix below which the skills lie (empty, or ending in a slash), the KMS key of its objects (empty: S3's own), days for which old versions are kept, and the bucket of its access logs (empty: none)."
  type = object({
    name              = string
    prefix            = optional(string, "")
    kms_key_arn       = optional(string, "")
    noncurrent_days   = optional(number, 30)
    access_log_bucket = optional(string, "")
  })
  nullable = false
}

variable "image" {
  description = "Image of the gateway, with a tag other than latest or a digest."
  type        = string
  nullable    = false
}

variable "ecr_repository_arn" {
  description = "Repository of ECR that holds the image; empty for a registry that needs no credentials."
  type        = string
  default     = ""
  nullable    = false
}

variable "host_name" {
  description = "Name under which clients reach the service."
  type        = string
  nullable    = false
}

variable "certificate_arn" {
  description = "Certificate of ACM for host_name, in this region."
  type        = string
  nullable    = false
}

variable "network" {
  description = "Where the service runs and who may reach it: VPC, subnets of load balancer (two zones or more) and tasks, IPv4 networks of clients, whether the load balancer has private addresses only, its web ACL and access log bucket (empty: none), and whether it refuses to be deleted."
  type = object({
    vpc_id              = string
    balancer_subnet_ids = list(string)
    task_subnet_ids     = list(string)
    client_cidrs        = list(string)
    is_internal         = optional(bool, true)
    waf_acl_arn         = optional(string, "")
    access_log_bucket   = optional(string, "")
    deletion_protection = optional(bool, true)
  })
  nullable = false
}

variable "environment" {
  description = "Settings of the gateway by name; GATEWAY_AUTH is needed."
  type        = map(string)
  nullable    = false
}

variable "secrets" {
  description = "Secret settings: ARN in Secrets Manager or SSM by name; GATEWAY_CURSOR_KEYS is needed."
  type        = map(string)
  nullable    = false
}

variable "secrets_kms_key_arns" {
  description = "Keys of KMS that encrypt the secrets, where they are not the services' own."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "task" {
  description = "Size of a task and its health check; see the module service."
  type = object({
    cpu             = optional(number, 512)
    memory_mib      = optional(number, 1024)
    stop_after_s    = optional(number, 30)
    health_grace_s  = optional(number, 60)
    health_endpoint = optional(string, "/readyz")
  })
  default  = {}
  nullable = false
}

variable "scaling" {
  description = "Number of tasks, and when there are more; see the module service."
  type = object({
    min_tasks           = optional(number, 2)
    max_tasks           = optional(number, 6)
    cpu_percent         = optional(number, 60)
    requests_per_minute = optional(number, 6000)
  })
  default  = {}
  nullable = false
}

variable "alarms" {
  description = "Thresholds of the alarms; see the module service."
  type = object({
    errors_5xx      = optional(number, 10)
    latency_p95_s   = optional(number, 2)
    unhealthy_hosts = optional(number, 1)
  })
  default  = {}
  nullable = false
}

variable "alarm_topic_arns" {
  description = "Topics of SNS that are told of alarms."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
  default     = 365
  nullable    = false
}

variable "publishers" {
  description = "GitHub repositories that publish, by a short name; at least one branch or environment each. repository_ids: see the module publisher."
  type = map(object({
    repository     = string
    repository_ids = optional(object({ owner = optional(string, ""), repository = optional(string, "") }), {})
    branches       = optional(list(string), [])
    environments   = optional(list(string), [])
  }))
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for name in keys(var.publishers) : can(regex("^[a-z0-9-]{1,24}$", name))])
    error_message = "A short name has 1 to 24 lower-case letters, digits and hyphens."
  }
}

variable "github_oidc_provider_arn" {
  description = "OIDC provider for token.actions.githubusercontent.com, where the account has one; empty: it is made when there are publishers."
  type        = string
  default     = ""
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is made."
  type        = map(string)
  default     = {}
  nullable    = false
}
