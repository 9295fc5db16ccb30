variable "bucket_name" {
  description = "Name of the bucket."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.bucket_name))
    error_message = "A name has 3 to 63 lower-case letters, digits and hyphens."
  }
}

variable "prefix" {
  description = "Prefix to which the users are limited: empty, or ending in a slash."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^(|([A-Za-z0-9!_.'()-]+/)+)$", var.prefix))
    error_message = "A prefix is empty or ends in a slash, does not begin with one, and has no * or ?, which policies read as wildcards."
  }
}

variable "users" {
  description = "Users that are made, by name: reader for a gateway, publisher for what publishes."
  type        = map(string)
  default     = { skills-gateway = "reader" }
  nullable    = false

  validation {
    condition     = alltrue([for role in values(var.users) : contains(["reader", "publisher"], role)])
    error_message = "A user is a reader or a publisher."
  }
}

variable "user_secrets" {
  description = "Secret key of each user, by the same names, 16 characters or more. It goes to MinIO and not into the state; raise user_secrets_version for new ones to be set."
  type        = map(string)
  ephemeral   = true
  sensitive   = true
  nullable    = false

  validation {
    condition     = alltrue([for secret in values(var.user_secrets) : length(secret) >= 16])
    error_message = "A secret key has 16 characters or more."
  }
}

variable "user_secrets_version" {
  description = "Number to raise when user_secrets changed."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.user_secrets_version >= 1 && floor(var.user_secrets_version) == var.user_secrets_version
    error_message = "A whole number, 1 or more."
  }
}

variable "noncurrent_days" {
  description = "Days for which an overwritten or deleted object can be brought back."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.noncurrent_days >= 1 && floor(var.noncurrent_days) == var.noncurrent_days
    error_message = "Whole days, at least 1."
  }
}

variable "kms_key_id" {
  description = "Key of MinIO's KMS that encrypts the objects; empty: no encryption is asked for, as MinIO needs a KMS for any."
  type        = string
  default     = ""
  nullable    = false
}

variable "force_destroy" {
  description = "Whether terraform destroy may delete a bucket that still has objects."
  type        = bool
  default     = false
  nullable    = false
}
