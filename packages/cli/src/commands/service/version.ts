import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { outputOf } from '../../output/output-of.ts'

/** `hookline version` */
export function addVersion(program: Command): void {
  program
    .command('version')
    .description('say which Hookline and which Node this is')
    .action((_options: unknown, command: Command) => {
      const { version: node, platform, arch } = process
      outputOf(command).data(
        { hookline: VERSION, node, platform, arch },
        () => `hookline ${VERSION} (Node ${node}, ${platform} ${arch})`,
      )
    })
}
