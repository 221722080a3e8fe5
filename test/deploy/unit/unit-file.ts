import { outputOf } from '../programs.ts'
import { readRepositoryFile } from '@hookline/testing/repository'

export const UNIT = 'deploy/hookline.service'

/** All values of a directive in deploy/hookline.service, in order. */
export function valuesOf(directive: string): string[] {
  const lines = readRepositoryFile(UNIT).split('\n')
  const prefix = `${directive}=`
  return lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length))
}

/** The environment of the service in the unit. `credentials` is the folder for %d. */
export function environmentOf(credentials: string): Record<string, string> {
  const lines = valuesOf('Environment').map((line) => line.replaceAll('%d', credentials))
  return Object.fromEntries(lines.map((line) => /^([^=]+)=(.*)$/.exec(line)!.slice(1)))
}

/** The names of the system calls that SystemCallFilter permits. */
export function permittedCalls(): Set<string> {
  const permitted = new Set<string>()
  for (const line of valuesOf('SystemCallFilter')) {
    for (const name of line.replace(/^~/, '').split(' ').flatMap(callsIn)) {
      if (line.startsWith('~')) permitted.delete(name)
      else permitted.add(name)
    }
  }
  return permitted
}

/** The system calls of a set, which may contain other sets. */
function callsIn(name: string): string[] {
  if (!name.startsWith('@')) return [name]
  const [, ...lines] = outputOf('systemd-analyze', ['syscall-filter', '--no-pager', name]).split(
    '\n',
  )
  const members = lines.map((line) => line.trim()).filter((line) => /^@?\w/.test(line))
  return members.flatMap(callsIn)
}
