import { spawnSync } from 'node:child_process'

/** What a parser of the Compose specification, the Python package compose-spec, says of a text; empty where it is right. */
export function composeFault(text: string): string {
  const plain = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
  const program = 'import compose_spec, sys; compose_spec.PyCompose.from_yaml(sys.stdin.read())'
  const { stderr } = spawnSync('python3', ['-c', program], { input: plain, encoding: 'utf8' })
  return stderr
}
