import type { Command } from 'commander'
import { CHECKS, storageFindings } from '../../doctor/checks.ts'
import { problemFindings } from '../../doctor/current-problems.ts'
import { type CheckResult, failedCheck } from '../../doctor/finding.ts'
import { Failure } from '../../failure.ts'
import { adminUrl, type DoctorTarget } from '../../doctor/service-at.ts'
import { urlOption } from '../../api/api-options.ts'
import { outputOf } from '../../output/output.ts'
import { printableText } from '../../output/safe-text.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'

type DoctorOptions = SettingFlags & { readonly url?: URL; readonly tokenFile?: string }

export function addDoctor(program: Command): void {
  withServerOptions(program.command('doctor'))
    .addOption(urlOption('URL of a running service; default: from the settings'))
    .option('--token-file <file>', 'file that contains an API token')
    .description('check the service, its machine and its deliveries')
    .action(async ({ url, tokenFile, ...flags }: DoctorOptions, command: Command) => {
      const config = await configFrom(flags)
      const hasExplicitUrl = url !== undefined
      const checks = await allChecks({
        config,
        url: url ?? adminUrl(config),
        hasExplicitUrl,
        tokenFile,
      })
      const output = outputOf(command)
      const isHealthy = checks.every(({ ok }) => ok)
      const width = Math.max(...checks.map(({ check }) => check.length))
      output.data({ healthy: isHealthy, checks }, () =>
        checks.flatMap((each) => linesOf(each, width)).join('\n'),
      )
      if (isHealthy) return
      const failed = new Set(checks.filter(({ ok }) => !ok).map(({ check }) => check))
      throw new Failure('unhealthy', `Failed checks: ${[...failed].join(', ')}.`)
    })
}

async function allChecks(target: DoctorTarget): Promise<CheckResult[]> {
  const found: CheckResult[] = []
  for (const [check, find] of Object.entries(CHECKS)) {
    found.push({ check, ...(await find(target).catch(failedCheck)) })
  }
  for (const [check, finding] of Object.entries(await storageFindings(target)))
    found.push({ check, ...finding })
  const problems = await problemFindings(target).catch((error: unknown) => [
    { check: 'problems', ...failedCheck(error) },
  ])
  return [...found, ...problems]
}

function linesOf(
  { check, ok, warning, detail, causes = [], next }: CheckResult,
  width: number,
): string[] {
  const symbol = warning ? '!' : ok ? '✓' : '✗'
  return [
    `${symbol} ${check.padEnd(width)} ${detail}`,
    ...causes.map((cause) => `    ${cause}`),
    ...(next === undefined ? [] : [`    → ${next}`]),
  ].map(printableText)
}
