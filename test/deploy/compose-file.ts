import { type Config, parseConfig } from '@hookline/server'
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

/** Expects that the Python package compose-spec, a parser of the Compose specification, accepts the text of a file. */
export function expectComposeFile(text: string, skip: () => never): void {
  const fault = faultOf(text)
  if (fault.includes('ModuleNotFoundError'))
    skipOrFail('the Python package compose-spec', 'HOOKLINE_REQUIRE_DEPLOY', skip)
  expect(fault).toBe('')
  const wrong = text.replace('restart: unless-stopped', 'restart_always: true')
  expect(faultOf(wrong)).toContain('restart_always')
}

/** The configuration of a service in a Compose file, with its secrets in the folder. */
export function configOf(
  { environment }: { readonly environment: Readonly<Record<string, string>> },
  folder: string,
): Config {
  const inside = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('/run/secrets', folder),
  ])
  return parseConfig(Object.fromEntries(inside) as Record<string, string>)
}

function faultOf(text: string): string {
  const plain = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
  // The parser supports neither anchors nor merges.
  const input = stringify(parse(plain, { merge: true }), { aliasDuplicateObjects: false })
  const program = 'import compose_spec, sys; compose_spec.PyCompose.from_yaml(sys.stdin.read())'
  const { stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  return stderr
}
