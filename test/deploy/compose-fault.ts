import { spawnSync } from 'node:child_process'
import { parse, stringify } from 'yaml'

/** What a parser of the Compose specification, the Python package compose-spec, says of a text; empty where it is right. */
export function composeFault(text: string): string {
  const plain = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
  // The parser knows neither anchors nor merges.
  const input = stringify(parse(plain, { merge: true }), { aliasDuplicateObjects: false })
  const program = 'import compose_spec, sys; compose_spec.PyCompose.from_yaml(sys.stdin.read())'
  const { stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  return stderr
}
