"""What learned decisions share: the trees and their walk."""
