"""Programs of processes: C programs that fork and share semaphores, queues, pipes and memory."""
