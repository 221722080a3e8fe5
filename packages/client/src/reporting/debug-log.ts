import type { Logger } from '../client-options.ts'
import { callSafely } from './safe-calls.ts'

export type DebugLog = (line: string) => void

/**
 * The debug log of a client. Writes to the logger, and to standard error (the console) if the environment variable `DEBUG`
 * lists `analytics` or `*`. Undefined if neither applies, so that the client need not build the lines. Lines identify a
 * message by type, messageId and size, and never show its content. Calls that the logger makes on the client are not
 * logged, because that would recurse forever.
 */
export function openDebugLog(logger: Logger | undefined): DebugLog | undefined {
  const isOn = enablesDebug(environmentVariable('DEBUG'))
  if (!isOn && logger === undefined) return undefined
  let isWriting = false
  return (line) => {
    if (isWriting) return
    isWriting = true
    void callSafely(() => {
      // oxlint-disable-next-line no-console -- DEBUG requests output on standard error
      if (isOn) console.error(`analytics ${line}`)
      return logger?.debug(`analytics ${line}`)
    })
    isWriting = false
  }
}

/** As usual for DEBUG, `-analytics` excludes it from a list with `*`. */
function enablesDebug(list: string): boolean {
  const names = list.split(/[\s,]+/)
  return (names.includes('analytics') || names.includes('*')) && !names.includes('-analytics')
}

function environmentVariable(name: string): string {
  try {
    const { process } = globalThis as {
      process?: { env?: Readonly<Record<string, string | undefined>> }
    }
    return process?.env?.[name] ?? ''
  } catch {
    // Deno throws if the program has no permission to read the environment.
    return ''
  }
}
