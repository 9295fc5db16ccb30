variable "name" {
  description = "Name of the bucket, unique in the whole partition."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.name))
    error_message = "A name has 3 to 63 lower-case letters, digits and hyphens; a dot breaks TLS for virtual-hosted URLs."
  }
}

variable "kms_key_arn" {
  description = "Key of KMS that encrypts the objects; empty: S3's own keys (AES-256)."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.kms_key_arn == "" || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "Give the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID), not an alias: policies need the key itself."
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

variable "abort_multipart_days" {
  description = "Days after which the parts of an upload that never ended are removed."
  type        = number
  default     = 7
  nullable    = false

  validation {
    condition     = var.abort_multipart_days >= 1 && floor(var.abort_multipart_days) == var.abort_multipart_days
    error_message = "Whole days, at least 1."
  }
}

variable "access_log_bucket" {
  description = "Bucket that gets the server access logs; empty: none are written."
  type        = string
  default     = ""
  nullable    = false
}

variable "force_destroy" {
  description = "Whether terraform destroy may delete a bucket that still has objects, all their versions included."
  type        = bool
  default     = false
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is made here."
  type        = map(string)
  default     = {}
  nullable    = false
}
