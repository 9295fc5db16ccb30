# Two roles. Execution: what ECS needs to start a task. Reader: what the gateway itself may do.

data "aws_iam_policy_document" "reader_trust" {
  statement {
    sid     = "TasksOfThisAccount"
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }

    condition {
      test     = "ArnLike"
      variable = "aws:SourceArn"
      values   = ["arn:${data.aws_partition.current.partition}:ecs:${data.aws_region.current.id}:${data.aws_caller_identity.current.account_id}:*"]
    }
  }
}

resource "aws_iam_role" "reader" {
  name               = "${var.name}-reader"
  description        = "Lets the gateway read the skills"
  assume_role_policy = data.aws_iam_policy_document.reader_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy" "reader" {
  name   = "read"
  role   = aws_iam_role.reader.id
  policy = data.aws_iam_policy_document.reader.json
}

data "aws_iam_policy_document" "reader" {
  # A HEAD of an object is s3:GetObject as well.
  statement {
    sid       = "ReadBelowThePrefix"
    actions   = ["s3:GetObject"]
    resources = ["${var.bucket.arn}/${var.bucket.prefix}*"]
  }

  # Without it S3 answers 403 for a key that is not there, where the gateway must see 404.
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
  role   = aws_iam_role.reader.id
  policy = data.aws_iam_policy_document.key[0].json
}

data "aws_iam_policy_document" "key" {
  count = var.bucket.kms_key_arn == "" ? 0 : 1

  statement {
    sid       = "DecryptThroughS3"
    actions   = ["kms:Decrypt"]
    resources = [var.bucket.kms_key_arn]

    condition {
      test     = "StringLike"
      variable = "kms:ViaService"
      values   = ["s3.${data.aws_region.current.id}.*"]
    }
  }
}

# AWS documents no source for who takes this one: what keeps it in is iam:PassRole, which works within an account only.
data "aws_iam_policy_document" "execution_trust" {
  statement {
    sid     = "EcsStartsTasks"
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "execution" {
  name               = "${var.name}-execution"
  description        = "Lets ECS start tasks of the gateway"
  assume_role_policy = data.aws_iam_policy_document.execution_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy" "execution" {
  name   = "start"
  role   = aws_iam_role.execution.id
  policy = data.aws_iam_policy_document.execution.json
}

locals {
  # A key or a version may follow the ARN of a secret (arn:...:secret:NAME:KEY::); IAM knows the ARN alone.
  secret_arns    = distinct([for arn in values(var.secrets) : join(":", slice(split(":", arn), 0, 7)) if strcontains(arn, ":secretsmanager:")])
  parameter_arns = distinct([for arn in values(var.secrets) : arn if strcontains(arn, ":ssm:")])
  ecr            = var.ecr_repository_arn == "" ? [] : [var.ecr_repository_arn]
}

data "aws_iam_policy_document" "execution" {
  #checkov:skip=CKV_AWS_356:ecr:GetAuthorizationToken has no resource, so IAM takes nothing but a star for it.
  statement {
    sid       = "WriteLogs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.this.arn}:log-stream:*"]
  }

  dynamic "statement" {
    for_each = length(local.secret_arns) == 0 ? [] : [local.secret_arns]

    content {
      sid       = "ReadSecrets"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(local.parameter_arns) == 0 ? [] : [local.parameter_arns]

    content {
      sid       = "ReadParameters"
      actions   = ["ssm:GetParameters"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(var.secrets_kms_key_arns) == 0 ? [] : [var.secrets_kms_key_arns]

    content {
      sid       = "DecryptSecrets"
      actions   = ["kms:Decrypt"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = local.ecr

    content {
      sid       = "LogInToTheRegistry"
      actions   = ["ecr:GetAuthorizationToken"]
      resources = ["*"]
    }
  }

  dynamic "statement" {
    for_each = local.ecr

    content {
      sid       = "PullTheImage"
      actions   = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
      resources = [statement.value]
    }
  }
}
