import type { ClientOptions } from '../client-options.ts'
import type { ReportedError } from '../errors.ts'

/**
 * Reports failures to `onError` and to the logger. Without either it writes to the console, so that no failure is
 * silent. If `onError` throws, it reports that error in the same way and continues.
 */
export function reporter({ onError, logger }: ClientOptions): (error: ReportedError) => void {
  const warn = (line: string) => {
    if (logger !== undefined) logger.warn(line)
    // oxlint-disable-next-line no-console -- without onError and logger, the failure would be silent
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
