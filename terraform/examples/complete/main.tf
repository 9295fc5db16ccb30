# Everything on AWS but the network: certificate, name, secret, bucket, service, alarms, and a repository that publishes.
# The VPC, its subnets and the hosted zone are there already. See the README beside this file.

provider "aws" {
  region = var.region

  default_tags {
    tags = { Project = "skills-gateway" }
  }
}

resource "aws_acm_certificate" "this" {
  domain_name       = var.host_name
  validation_method = "DNS"

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_route53_record" "validation" {
  for_each = {
    for option in aws_acm_certificate.this.domain_validation_options : option.domain_name => option
  }

  zone_id = var.zone_id
  name    = each.value.resource_record_name
  type    = each.value.resource_record_type
  records = [each.value.resource_record_value]
  ttl     = 60
}

resource "aws_acm_certificate_validation" "this" {
  certificate_arn         = aws_acm_certificate.this.arn
  validation_record_fqdns = [for record in aws_route53_record.validation : record.fqdn]
}

# Empty here: the value is put in by hand, so that no state ever holds it.
resource "aws_secretsmanager_secret" "cursor_keys" {
  #checkov:skip=CKV2_AWS_57:Rotated by hand: the new key is put in front of the old, which stays for one GATEWAY_CURSOR_TTL_S.
  #checkov:skip=CKV_AWS_149:The key of Secrets Manager encrypts it; give one of your own where rules ask for it.
  name        = "skills-gateway/cursor-keys"
  description = "Keys that seal the cursors of the gateway; the first one seals, all open"
}

resource "aws_sns_topic" "alarms" {
  name              = "skills-gateway-alarms"
  kms_master_key_id = aws_kms_key.alarms.id
}

# CloudWatch may not use the alias aws/sns, so alarms to an encrypted topic need a key that lets it.
resource "aws_kms_key" "alarms" {
  description         = "Alarms of the skills gateway"
  enable_key_rotation = true
  policy              = data.aws_iam_policy_document.alarms_key.json
}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_iam_policy_document" "alarms_key" {
  #checkov:skip=CKV_AWS_109:The policy of a key speaks of that key alone, and the account must be able to manage it.
  #checkov:skip=CKV_AWS_111:The policy of a key speaks of that key alone, and the account must be able to manage it.
  #checkov:skip=CKV_AWS_356:In the policy of a key the star is that key.
  statement {
    sid       = "TheAccountManagesIt"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:root"]
    }
  }

  statement {
    sid       = "AlarmsUseIt"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

module "gateway" {
  source = "../.."

  bucket             = { name = var.bucket_name, prefix = "team/" }
  image              = var.image
  ecr_repository_arn = var.ecr_repository_arn
  host_name          = var.host_name
  certificate_arn    = aws_acm_certificate_validation.this.certificate_arn
  alarm_topic_arns   = [aws_sns_topic.alarms.arn]

  network = {
    vpc_id              = var.vpc_id
    balancer_subnet_ids = var.public_subnet_ids
    task_subnet_ids     = var.private_subnet_ids
    client_cidrs        = var.client_cidrs
    is_internal         = false
  }

  environment = {
    GATEWAY_AUTH         = "bearer"
    GATEWAY_AUTH_ISSUERS = var.issuer
    GATEWAY_SOURCE       = "releases"
  }

  secrets = { GATEWAY_CURSOR_KEYS = aws_secretsmanager_secret.cursor_keys.arn }

  publishers = {
    skills = {
      repository   = var.repository
      branches     = ["main"]
      environments = ["skills-stable"]
    }
  }
}

resource "aws_route53_record" "this" {
  zone_id = var.zone_id
  name    = var.host_name
  type    = "A"

  alias {
    name                   = module.gateway.balancer.dns_name
    zone_id                = module.gateway.balancer.zone_id
    evaluate_target_health = false
  }
}
