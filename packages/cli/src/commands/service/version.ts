import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { outputOf } from '../../output/output.ts'

export function addVersion(program: Command): void {
  program
    .command('version')
    .description('show the versions of Hookline and Node')
    .action((_options: unknown, command: Command) => {
      const { version: node, platform, arch } = process
      outputOf(command).data(
        { hookline: VERSION, node, platform, arch },
        () => `hookline ${VERSION} (Node ${node}, ${platform} ${arch})`,
      )
    })
}
