import type { ClientOptions } from '../client-options.ts'
import type { ReportedError } from '../errors.ts'
import { callSafely } from './safe-calls.ts'

/**
 * Reports failures to `onError` and to the logger. If neither is set, or if the logger throws, it writes to the console, so
 * that no failure is silent. If `onError` throws, it reports that error in the same way and continues.
 */
export function reporter({ onError, logger }: ClientOptions): (error: ReportedError) => void {
  const warn = (line: string) =>
    callSafely(
      () => (logger ?? console).warn(line),
      // oxlint-disable-next-line no-console -- the last resort against a silent loss
      () => callSafely(() => console.warn(line)),
    )
  return (error) => {
    if (onError === undefined || logger !== undefined) void warn(`analytics: ${error.message}`)
    void callSafely(
      () => onError?.(error),
      (thrown) => warn(`analytics: onError threw ${thrown}`),
    )
  }
}
