variable "vpc_id" {
  description = "VPC of the service."
  type        = string
  nullable    = false
}

variable "balancer_subnet_ids" {
  description = "Subnets of the load balancer, in two availability zones or more; public ones unless it is internal."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.balancer_subnet_ids) >= 2
    error_message = "A load balancer needs subnets in two availability zones."
  }
}

variable "task_subnet_ids" {
  description = "Private subnets of the tasks, with a way to S3, the registry, the secrets, the logs and the identity provider (NAT, or VPC endpoints)."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.task_subnet_ids) >= 1
    error_message = "Name a subnet at least, two for two availability zones."
  }
}

variable "is_internal" {
  description = "Whether the load balancer has private addresses only."
  type        = bool
  default     = true
  nullable    = false
}

variable "client_cidrs" {
  description = "Networks that may reach the load balancer on port 443."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.client_cidrs) > 0 && alltrue([for cidr in var.client_cidrs : can(cidrhost(cidr, 0)) && !strcontains(cidr, ":")])
    error_message = "One or more IPv4 networks such as 10.0.0.0/8."
  }
}

variable "egress_cidrs" {
  description = "Networks that tasks may reach on port 443. Narrow it where S3, the registry and the identity provider have known addresses."
  type        = list(string)
  default     = ["0.0.0.0/0"]
  nullable    = false

  validation {
    condition     = length(var.egress_cidrs) > 0 && alltrue([for cidr in var.egress_cidrs : can(cidrhost(cidr, 0)) && !strcontains(cidr, ":")])
    error_message = "One or more IPv4 networks such as 0.0.0.0/0."
  }
}

variable "certificate_arn" {
  description = "Certificate of ACM for host_name, in the region of the load balancer."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^arn:[a-z-]+:acm:[a-z0-9-]+:[0-9]{12}:certificate/.+$", var.certificate_arn))
    error_message = "Give the ARN of a certificate of ACM."
  }
}

variable "tls_policy" {
  description = "TLS policy of the load balancer; TLS 1.3, and 1.2 with forward secrecy, unless told otherwise."
  type        = string
  default     = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  nullable    = false

  validation {
    condition     = can(regex("^ELBSecurityPolicy-TLS13-1-[23]-", var.tls_policy))
    error_message = "A policy whose name begins with ELBSecurityPolicy-TLS13-1-2- or ELBSecurityPolicy-TLS13-1-3-."
  }
}

variable "idle_timeout_s" {
  description = "Seconds for which a connection may be silent before the load balancer closes it."
  type        = number
  default     = 60
  nullable    = false

  validation {
    condition     = var.idle_timeout_s >= 1 && var.idle_timeout_s <= 4000
    error_message = "1 to 4000."
  }
}

variable "deletion_protection" {
  description = "Whether the load balancer refuses to be deleted."
  type        = bool
  default     = true
  nullable    = false
}

variable "access_log_bucket" {
  description = "Bucket that gets the load balancer's access logs; empty: none are written."
  type        = string
  default     = ""
  nullable    = false
}

variable "waf_acl_arn" {
  description = "Web ACL of WAF in front of the load balancer; empty for none."
  type        = string
  default     = ""
  nullable    = false
}
