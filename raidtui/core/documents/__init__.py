"""JSON documents: shapes, and schemas made from them."""
