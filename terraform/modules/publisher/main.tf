locals {
  owner = split("/", var.repository)[0]
  name  = split("/", var.repository)[1]
  repository = (
    var.repository_ids.owner == ""
    ? var.repository
    : "${local.owner}@${var.repository_ids.owner}/${local.name}@${var.repository_ids.repository}"
  )
  subjects = concat(
    [for branch in var.branches : "repo:${local.repository}:ref:refs/heads/${branch}"],
    [for environment in var.environments : "repo:${local.repository}:environment:${environment}"],
  )
}

resource "aws_iam_role" "this" {
  name                 = var.name
  description          = "Publishes skills from ${var.repository}"
  assume_role_policy   = data.aws_iam_policy_document.trust.json
  max_session_duration = var.max_session_s
  permissions_boundary = var.permissions_boundary_arn == "" ? null : var.permissions_boundary_arn
  tags                 = var.tags
}

data "aws_iam_policy_document" "trust" {
  statement {
    sid     = "GitHubActions"
    actions = ["sts:AssumeRoleWithWebIdentity"]

    principals {
      type        = "Federated"
      identifiers = [var.oidc_provider_arn]
    }

    condition {
      test     = "StringEquals"
      variable = "token.actions.githubusercontent.com:aud"
      values   = ["sts.amazonaws.com"]
    }

    # StringEquals: a subject is written out, so that no branch that anybody may push is one of them.
    condition {
      test     = "StringEquals"
      variable = "token.actions.githubusercontent.com:sub"
      values   = local.subjects
    }
  }
}

resource "aws_iam_role_policy" "publisher" {
  name   = "publish"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.publisher.json
}

data "aws_iam_policy_document" "publisher" {
  statement {
    sid       = "WriteBelowThePrefix"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = ["${var.bucket.arn}/${var.bucket.prefix}*"]
  }

  statement {
    sid       = "ListThePrefix"
    actions   = ["s3:ListBucket"]
    resources = [var.bucket.arn]

    dynamic "condition" {
      for_each = var.bucket.prefix == "" ? [] : [var.bucket.prefix]

      content {
        test     = "StringLike"
        variable = "s3:prefix"
        values   = ["${condition.value}*"]
      }
    }
  }
}

resource "aws_iam_role_policy" "key" {
  count = var.bucket.kms_key_arn == "" ? 0 : 1

  name   = "key"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.key[0].json
}

data "aws_region" "current" {}

data "aws_iam_policy_document" "key" {
  count = var.bucket.kms_key_arn == "" ? 0 : 1

  statement {
    sid       = "UseTheKeyThroughS3"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = [var.bucket.kms_key_arn]

    condition {
      test     = "StringLike"
      variable = "kms:ViaService"
      values   = ["s3.${data.aws_region.current.id}.*"]
    }
  }
}
