const CODES = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'])

/** Whether a call of the file system failed because the disk is full, failing or read-only: a later try may succeed. */
export function isDiskFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && CODES.has((error as NodeJS.ErrnoException).code ?? '')
}
