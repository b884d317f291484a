"""What a disk, a bucket, a clock or a process without handles may do to what is stored."""
