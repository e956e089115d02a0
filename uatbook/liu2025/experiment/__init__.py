"""What training makes of the picture: norms of W_K and W_Q against noise, and kinks against steps."""
