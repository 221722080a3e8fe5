import type { Logger } from '../client-options.ts'
import { callSafely } from './safe-calls.ts'

/** Writes one line about what the client does. */
export type DebugLog = (line: string) => void

/**
 * The debug log of a client: it writes to the logger, and to standard error (the console) if `DEBUG` in the environment
 * lists `analytics` or `*`. Undefined if neither applies, so that the client need not build the lines. A line names
 * a message by type, messageId and size, and never shows its content. A call that the logger makes on the client writes
 * no line, because a line for each such call would never end.
 */
export function openDebugLog(logger: Logger | undefined): DebugLog | undefined {
  const isOn = isDebugged(environmentVariable('DEBUG'))
  if (!isOn && logger === undefined) return undefined
  let isWriting = false
  return (line) => {
    if (isWriting) return
    isWriting = true
    void callSafely(() => {
      // oxlint-disable-next-line no-console -- DEBUG asks for output on standard error
      if (isOn) console.error(`analytics ${line}`)
      return logger?.debug(`analytics ${line}`)
    })
    isWriting = false
  }
}

/** `-analytics` excludes it from a list that has `*`, as is usual for DEBUG. */
function isDebugged(list: string): boolean {
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
