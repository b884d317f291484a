# docker buildx bake -f configs/images/docker-bake.hcl
#   cpu: X.Y.Z, X.Y, latest for amd64 and arm64;  gpu: X.Y.Z-gpu, latest-gpu for amd64
variable "VERSION" {
  default = "0.14.0"
}

variable "REPOSITORY" {
  default = "quire"
}

function "minor" {
  params = [version]
  result = join(".", slice(split(".", version), 0, 2))
}

group "default" {
  targets = ["cpu", "gpu"]
}

target "cpu" {
  context    = "."
  dockerfile = "configs/images/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = ["${REPOSITORY}:${VERSION}", "${REPOSITORY}:${minor(VERSION)}", "${REPOSITORY}:latest"]
}

target "gpu" {
  context    = "."
  dockerfile = "configs/images/Dockerfile.gpu"
  platforms  = ["linux/amd64"]
  tags       = ["${REPOSITORY}:${VERSION}-gpu", "${REPOSITORY}:latest-gpu"]
}
