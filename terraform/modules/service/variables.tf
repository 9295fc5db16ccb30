variable "name" {
  description = "Name of the service and of what belongs to it; one for each service in an account and region."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "2 to 24 lower-case letters, digits and hyphens, beginning with a letter: load balancers take 32 in all."
  }
}

variable "image" {
  description = "Image of the gateway with a tag or, better, a digest, as made from the Dockerfile of this repository."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("(@sha256:[0-9a-f]{64}|:[A-Za-z0-9_][A-Za-z0-9_.-]*)$", var.image)) && !endswith(var.image, ":latest")
    error_message = "Name a digest or a tag, and not latest: tasks of one service would run different versions."
  }
}

variable "ecr_repository_arn" {
  description = "Repository of ECR that holds the image; empty for a registry that needs no credentials."
  type        = string
  default     = ""
  nullable    = false
}

variable "architecture" {
  description = "Processor that the image is built for."
  type        = string
  default     = "X86_64"
  nullable    = false

  validation {
    condition     = contains(["X86_64", "ARM64"], var.architecture)
    error_message = "X86_64 or ARM64."
  }
}

variable "bucket" {
  description = "Bucket that is served: name, ARN, the prefix (empty, or ending in a slash) to which the service is limited, and the KMS key of its objects, if any."
  type = object({
    name        = string
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

variable "host_name" {
  description = "Name under which clients reach the service; the certificate must cover it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", var.host_name))
    error_message = "A full host name in lower case, without scheme and port."
  }
}

variable "environment" {
  description = "Further settings, by the names of the README's table (GATEWAY_AUTH, GATEWAY_AUTH_ISSUERS, ...)."
  type        = map(string)
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.environment) : startswith(name, "GATEWAY_")])
    error_message = "Settings of the gateway begin with GATEWAY_."
  }

  validation {
    condition     = contains(["bearer", "none"], lookup(var.environment, "GATEWAY_AUTH", ""))
    error_message = "Say who may call: GATEWAY_AUTH is bearer, or none when everybody who reaches the load balancer may."
  }

  validation {
    condition = length(setintersection(keys(var.environment), [
      "GATEWAY_CURSOR_KEYS", "GATEWAY_API_KEYS",
    ])) == 0
    error_message = "Keys belong into secrets: what stands here is shown to everybody who may look at the task definition."
  }

  validation {
    condition = length(setintersection(keys(var.environment), [
      "GATEWAY_BUCKET", "GATEWAY_PREFIX", "GATEWAY_REGION", "GATEWAY_PUBLIC_URL", "GATEWAY_HOST", "GATEWAY_PORT",
    ])) == 0
    error_message = "The module sets bucket, prefix, region, public URL, host and port itself."
  }
}

variable "secrets" {
  description = "Settings that are secret: ARN of a secret of Secrets Manager, or of a parameter of SSM, by the name of the setting. GATEWAY_CURSOR_KEYS is needed, as all tasks open each other's cursors; make it with skills-gateway keygen."
  type        = map(string)
  nullable    = false

  validation {
    condition     = contains(keys(var.secrets), "GATEWAY_CURSOR_KEYS")
    error_message = "GATEWAY_CURSOR_KEYS is missing: without it a task refuses the cursors of another."
  }

  validation {
    condition     = alltrue([for arn in values(var.secrets) : can(regex("^arn:[a-z-]+:(secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:|ssm:[a-z0-9-]+:[0-9]{12}:parameter/)[^*?]+$", arn))])
    error_message = "Each is the full ARN of a secret (arn:aws:secretsmanager:...:secret:NAME-SUFFIX) or a parameter (arn:aws:ssm:...:parameter/NAME)."
  }
}

variable "secrets_kms_key_arns" {
  description = "Keys of KMS that encrypt the secrets, where they are not the services' own."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "task" {
  description = "Size of a task in CPU units and MiB (a pair that Fargate has), and seconds that running requests get to finish at a stop."
  type = object({
    cpu             = optional(number, 512)
    memory_mib      = optional(number, 1024)
    stop_after_s    = optional(number, 30)
    health_grace_s  = optional(number, 60)
    health_endpoint = optional(string, "/readyz")
  })
  default  = {}
  nullable = false

  validation {
    condition     = contains([256, 512, 1024, 2048, 4096, 8192, 16384], var.task.cpu)
    error_message = "Fargate has 256, 512, 1024, 2048, 4096, 8192 and 16384 CPU units."
  }

  validation {
    condition     = var.task.stop_after_s >= 10 && var.task.stop_after_s <= 120
    error_message = "Fargate stops a task after 120 seconds at the latest; the gateway needs some to finish."
  }

  validation {
    condition     = contains(["/readyz", "/livez"], var.task.health_endpoint)
    error_message = "/readyz (the bucket answers) or /livez (the process answers)."
  }
}

variable "scaling" {
  description = "Number of tasks, and when there are more: CPU in percent, requests to one task in a minute."
  type = object({
    min_tasks           = optional(number, 2)
    max_tasks           = optional(number, 6)
    cpu_percent         = optional(number, 60)
    requests_per_minute = optional(number, 6000)
  })
  default  = {}
  nullable = false

  validation {
    condition     = var.scaling.min_tasks >= 1 && var.scaling.max_tasks >= var.scaling.min_tasks
    error_message = "At least one task, and max_tasks not below min_tasks."
  }

  validation {
    condition     = var.scaling.cpu_percent >= 10 && var.scaling.cpu_percent <= 90 && var.scaling.requests_per_minute >= 1
    error_message = "cpu_percent is 10 to 90, requests_per_minute 1 or more."
  }
}

variable "tags" {
  description = "Tags of everything that is made here."
  type        = map(string)
  default     = {}
  nullable    = false
}
