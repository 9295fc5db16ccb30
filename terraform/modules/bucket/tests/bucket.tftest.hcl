# terraform test, with a provider that makes everything up: no account, no credentials, no network.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  name = "acme-skills"
}

run "nothing_is_public" {
  command = plan

  assert {
    condition = alltrue([
      aws_s3_bucket_public_access_block.this.block_public_acls,
      aws_s3_bucket_public_access_block.this.block_public_policy,
      aws_s3_bucket_public_access_block.this.ignore_public_acls,
      aws_s3_bucket_public_access_block.this.restrict_public_buckets,
    ])
    error_message = "Public access is not blocked."
  }

  assert {
    condition     = aws_s3_bucket_ownership_controls.this.rule[0].object_ownership == "BucketOwnerEnforced"
    error_message = "ACLs are not switched off."
  }
}

run "what_is_deleted_can_be_brought_back_for_a_month" {
  command = plan

  assert {
    condition     = aws_s3_bucket_versioning.this.versioning_configuration[0].status == "Enabled"
    error_message = "Versions are not kept."
  }

  assert {
    condition     = aws_s3_bucket_lifecycle_configuration.this.rule[0].noncurrent_version_expiration[0].noncurrent_days == 30
    error_message = "Old versions are kept for another time than 30 days."
  }

  assert {
    condition     = aws_s3_bucket_lifecycle_configuration.this.rule[0].abort_incomplete_multipart_upload[0].days_after_initiation == 7
    error_message = "Uploads that never ended are not removed after 7 days."
  }

  assert {
    condition     = !aws_s3_bucket.this.force_destroy
    error_message = "A bucket with skills could be deleted."
  }
}

run "the_keys_are_s3s_own_unless_one_is_given" {
  command = plan

  assert {
    condition     = one(one(aws_s3_bucket_server_side_encryption_configuration.this.rule).apply_server_side_encryption_by_default).sse_algorithm == "AES256"
    error_message = "Objects are not encrypted with S3's own keys."
  }
}

run "a_key_of_kms_is_used_with_a_bucket_key" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555"
  }

  assert {
    condition     = one(one(aws_s3_bucket_server_side_encryption_configuration.this.rule).apply_server_side_encryption_by_default).sse_algorithm == "aws:kms"
    error_message = "The key is not used."
  }

  assert {
    condition     = one(aws_s3_bucket_server_side_encryption_configuration.this.rule).bucket_key_enabled
    error_message = "Each read would be a request to KMS."
  }
}

run "access_logs_are_written_when_a_bucket_is_given" {
  command = plan

  variables {
    access_log_bucket = "acme-logs"
  }

  assert {
    condition     = aws_s3_bucket_logging.this[0].target_bucket == "acme-logs"
    error_message = "No access logs."
  }
}

run "a_name_with_a_dot_is_refused" {
  command = plan

  variables {
    name = "acme.skills"
  }

  expect_failures = [var.name]
}

run "an_alias_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:alias/skills"
  }

  expect_failures = [var.kms_key_arn]
}
