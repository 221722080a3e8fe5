import type { Logger } from '../client-options.ts'

/** Takes one line on the life of the client. */
export type Say = (line: string) => void

/**
 * Where lines on the client's life go: to the logger, and to standard error (the console) where the
 * environment's `DEBUG` names `analytics` or `*` in its list. Absent where nobody listens, so that no
 * line need be made. Lines name messages by type, messageId and size, and never show what is in them.
 */
export function debugLines(logger: Logger | undefined): Say | undefined {
  const isOn = isDebugged(environment('DEBUG'))
  if (!isOn && logger === undefined) return undefined
  return (line) => {
    logger?.debug(`analytics ${line}`)
    // oxlint-disable-next-line no-console -- who sets DEBUG asks for it
    if (isOn) console.error(`analytics ${line}`)
  }
}

/** `-analytics` takes it out of a list that has `*`, as usual for DEBUG. */
function isDebugged(list: string): boolean {
  const names = list.split(/[\s,]+/)
  return (names.includes('analytics') || names.includes('*')) && !names.includes('-analytics')
}

function environment(name: string): string {
  try {
    const { process } = globalThis as {
      process?: { env?: Readonly<Record<string, string | undefined>> }
    }
    return process?.env?.[name] ?? ''
  } catch {
    // Deno throws where it may not read the environment.
    return ''
  }
}
