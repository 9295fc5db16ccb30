locals {
  bucket_arn = "arn:aws:s3:::${minio_s3_bucket.this.bucket}"
  policies = {
    reader    = data.minio_iam_policy_document.reader.json
    publisher = data.minio_iam_policy_document.publisher.json
  }
}

resource "minio_s3_bucket" "this" {
  bucket        = var.bucket_name
  acl           = "private"
  force_destroy = var.force_destroy
}

resource "minio_s3_bucket_versioning" "this" {
  bucket = minio_s3_bucket.this.bucket

  versioning_configuration {
    status = "Enabled"
  }
}

resource "minio_s3_bucket_server_side_encryption" "this" {
  count = var.kms_key_id == "" ? 0 : 1

  bucket          = minio_s3_bucket.this.bucket
  encryption_type = "aws:kms"
  kms_key_id      = var.kms_key_id
}

resource "minio_ilm_policy" "this" {
  depends_on = [minio_s3_bucket_versioning.this]

  bucket = minio_s3_bucket.this.bucket

  # MinIO removes uploads that never ended by itself, after a day.
  rule {
    id                           = "remove-old-versions"
    expired_object_delete_marker = true

    noncurrent_expiration {
      days = "${var.noncurrent_days}d"
    }
  }
}

data "minio_iam_policy_document" "reader" {
  statement {
    sid       = "ReadBelowThePrefix"
    actions   = ["s3:GetObject"]
    resources = ["${local.bucket_arn}/${var.prefix}*"]
  }

  statement {
    sid       = "ListThePrefix"
    actions   = ["s3:ListBucket"]
    resources = [local.bucket_arn]

    dynamic "condition" {
      for_each = var.prefix == "" ? [] : [var.prefix]

      content {
        test     = "StringLike"
        variable = "s3:prefix"
        values   = ["${condition.value}*"]
      }
    }
  }
}

data "minio_iam_policy_document" "publisher" {
  statement {
    sid       = "WriteBelowThePrefix"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = ["${local.bucket_arn}/${var.prefix}*"]
  }

  statement {
    sid       = "ListThePrefix"
    actions   = ["s3:ListBucket"]
    resources = [local.bucket_arn]

    dynamic "condition" {
      for_each = var.prefix == "" ? [] : [var.prefix]

      content {
        test     = "StringLike"
        variable = "s3:prefix"
        values   = ["${condition.value}*"]
      }
    }
  }
}

resource "minio_iam_policy" "this" {
  for_each = local.policies

  name   = "${var.bucket_name}-${each.key}"
  policy = each.value
}

resource "minio_iam_user" "this" {
  for_each = var.users

  name              = each.key
  secret_wo         = var.user_secrets[each.key]
  secret_wo_version = var.user_secrets_version
}

resource "minio_iam_user_policy_attachment" "this" {
  for_each = var.users

  user_name   = minio_iam_user.this[each.key].name
  policy_name = minio_iam_policy.this[each.value].name
}
