variable "name" {
  description = "Name of the role."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9+=,.@_-]{1,64}$", var.name))
    error_message = "IAM takes 1 to 64 letters, digits and +=,.@_- here."
  }
}

variable "bucket" {
  description = "Bucket to publish to: its ARN, the prefix (empty, or ending in a slash) below which the role may write, and the KMS key of its objects, if any."
  type = object({
    arn         = string
    prefix      = optional(string, "")
    kms_key_arn = optional(string, "")
  })
  nullable = false

  validation {
    condition     = can(regex("^(|([A-Za-z0-9!_.'()-]+/)+)$", var.bucket.prefix))
    error_message = "A prefix is empty or ends in a slash, does not begin with one, and has no * or ?, which policies read as wildcards."
  }
}

variable "oidc_provider_arn" {
  description = "ARN of the account's OIDC provider for token.actions.githubusercontent.com; an account has one at most."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex(":oidc-provider/", var.oidc_provider_arn))
    error_message = "Give an ARN such as arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com."
  }
}

variable "repository" {
  description = "GitHub repository that publishes, as owner/name."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$", var.repository))
    error_message = "owner/name, without wildcards."
  }
}

variable "repository_ids" {
  description = "Numeric ids of owner and repository (gh api repos/OWNER/NAME --jq '.owner.id, .id'). Tokens of repositories made, or renamed, since 15 July 2026 carry them in their subject; leave both empty for older ones that have not opted in."
  type = object({
    owner      = optional(string, "")
    repository = optional(string, "")
  })
  default  = {}
  nullable = false

  validation {
    condition     = can(regex("^(,|[0-9]+,[0-9]+)$", "${var.repository_ids.owner},${var.repository_ids.repository}"))
    error_message = "Both ids, digits only, or neither."
  }
}

variable "branches" {
  description = "Branches whose workflows may publish."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for branch in var.branches : can(regex("^[^*?\\s:]+$", branch))])
    error_message = "Branches are named in full, without wildcards."
  }
}

variable "environments" {
  description = "GitHub environments whose jobs may publish; a job with an environment has no branch in its subject."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for environment in var.environments : can(regex("^[^*?:]+$", environment))])
    error_message = "Environments are named in full, without wildcards."
  }

  validation {
    condition     = length(var.branches) + length(var.environments) > 0
    error_message = "Name a branch or an environment, or nobody could take the role."
  }
}

variable "max_session_s" {
  description = "Seconds for which the credentials of one job are good, 3600 to 43200."
  type        = number
  default     = 3600
  nullable    = false

  validation {
    condition     = var.max_session_s >= 3600 && var.max_session_s <= 43200
    error_message = "IAM takes 3600 to 43200."
  }
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of the role, where the account demands one."
  type        = string
  default     = ""
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is made here."
  type        = map(string)
  default     = {}
  nullable    = false
}
