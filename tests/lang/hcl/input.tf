terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  region = var.region
}

# Where everything runs.
variable "region" {
  type    = string
  default = "eu-central-1"
}

locals {
  name = "cart-${var.region}"
  tags = { service = "cart" }
}

module "network" {
  source = "./modules/network"
  cidr   = local.name
}

/* The queue of orders. */
resource "aws_sqs_queue" "orders" {
  name = local.name

  dynamic "setting" {
    for_each = var.settings
    content {
      value = setting.value
    }
  }
}

resource "aws_lambda_function" "cart" {
  function_name = "cart"
  role          = aws_iam_role.cart.arn
  depends_on    = [aws_sqs_queue.orders, module.network]
  filename      = data.archive_file.code.output_path
  timeout       = max(3, length(local.tags))
}

data "archive_file" "code" {
  type       = "zip"
  source_dir = "${path.module}/src"
}

output "queue" {
  value = aws_sqs_queue.orders.url
}
