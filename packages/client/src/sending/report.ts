import type { ClientOptions } from '../client-options.ts'
import type { ReportedError } from '../errors.ts'

/**
 * How failures are told: to `onError` and to the logger. Where there is neither, to the console: a
 * program that has not asked must still find out. What `onError` throws is told the same way, and harms nothing.
 */
export function reporter({ onError, logger }: ClientOptions): (error: ReportedError) => void {
  const warn = (line: string) => {
    if (logger !== undefined) logger.warn(line)
    // oxlint-disable-next-line no-console -- the last resort against a silent loss
    else console.warn(line)
  }
  return (error) => {
    if (onError === undefined || logger !== undefined) warn(`analytics: ${error.message}`)
    try {
      onError?.(error)
    } catch (thrown) {
      warn(`analytics: onError threw ${String(thrown)}`)
    }
  }
}
