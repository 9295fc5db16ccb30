variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
  default     = 365
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "CloudWatch has 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731 and more days; for ever is none of them."
  }
}

variable "log_kms_key_arn" {
  description = "Key of KMS that encrypts the logs; its policy must let CloudWatch Logs use it. Empty: the service's own key."
  type        = string
  default     = ""
  nullable    = false
}

variable "alarm_topic_arns" {
  description = "Topics of SNS that are told when an alarm begins, and when it ends."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "alarms" {
  description = "Thresholds: answers of 5xx in 5 minutes (the gateway's and the load balancer's, each), seconds of the 95th percentile until an answer begins, unhealthy tasks."
  type = object({
    errors_5xx      = optional(number, 10)
    latency_p95_s   = optional(number, 2)
    unhealthy_hosts = optional(number, 1)
  })
  default  = {}
  nullable = false

  validation {
    condition     = var.alarms.errors_5xx >= 1 && var.alarms.latency_p95_s > 0 && var.alarms.unhealthy_hosts >= 1
    error_message = "Thresholds are above zero."
  }
}
