module "bucket" {
  source = "./modules/bucket"

  name              = var.bucket.name
  kms_key_arn       = var.bucket.kms_key_arn
  noncurrent_days   = var.bucket.noncurrent_days
  access_log_bucket = var.bucket.access_log_bucket
  tags              = var.tags
}

locals {
  bucket = {
    name        = module.bucket.name
    arn         = module.bucket.arn
    prefix      = var.bucket.prefix
    kms_key_arn = module.bucket.kms_key_arn
  }
}

module "service" {
  source = "./modules/service"

  name                 = var.name
  image                = var.image
  ecr_repository_arn   = var.ecr_repository_arn
  bucket               = local.bucket
  host_name            = var.host_name
  environment          = var.environment
  secrets              = var.secrets
  secrets_kms_key_arns = var.secrets_kms_key_arns
  task                 = var.task
  scaling              = var.scaling
  vpc_id               = var.network.vpc_id
  balancer_subnet_ids  = var.network.balancer_subnet_ids
  task_subnet_ids      = var.network.task_subnet_ids
  client_cidrs         = var.network.client_cidrs
  is_internal          = var.network.is_internal
  certificate_arn      = var.certificate_arn
  waf_acl_arn          = var.network.waf_acl_arn
  access_log_bucket    = var.network.access_log_bucket
  deletion_protection  = var.network.deletion_protection
  alarm_topic_arns     = var.alarm_topic_arns
  alarms               = var.alarms
  log_retention_days   = var.log_retention_days
  tags                 = var.tags
}

# An account has one provider for GitHub at most, so it is made here only when none is named.
resource "aws_iam_openid_connect_provider" "github" {
  count = length(var.publishers) > 0 && var.github_oidc_provider_arn == "" ? 1 : 0

  url            = "https://token.actions.githubusercontent.com"
  client_id_list = ["sts.amazonaws.com"]
  tags           = var.tags
}

module "publisher" {
  source   = "./modules/publisher"
  for_each = var.publishers

  name              = "${var.name}-publisher-${each.key}"
  bucket            = { arn = local.bucket.arn, prefix = local.bucket.prefix, kms_key_arn = local.bucket.kms_key_arn }
  oidc_provider_arn = var.github_oidc_provider_arn != "" ? var.github_oidc_provider_arn : aws_iam_openid_connect_provider.github[0].arn
  repository        = each.value.repository
  repository_ids    = each.value.repository_ids
  branches          = each.value.branches
  environments      = each.value.environments
  tags              = var.tags
}
