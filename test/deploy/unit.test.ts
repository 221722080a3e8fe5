import { SETTINGS } from '@hookline/server/settings'
import { parseConfig } from '@hookline/server'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { readRepositoryFile, REPOSITORY } from '@hookline/testing/repository'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { needPrograms, needRoot, outputOf } from './programs.ts'
import { RestrictedService, TOKEN } from './unit/restricted-service.ts'
import { useOnce } from './use-once.ts'
import { environmentOf, UNIT, valuesOf } from './unit/unit-file.ts'

describe(UNIT, () => {
  it('passes systemd-analyze verify', (context) => {
    needPrograms(context, 'systemd-analyze')
    using folder = new TemporaryFolder()
    const unit = join(folder.path, 'hookline.service')
    // The unit refers to installed programs. Use the ones in this repository instead.
    writeFileSync(unit, readRepositoryFile(UNIT).replaceAll('/opt/hookline/', REPOSITORY))
    expect(outputOf('systemd-analyze', ['verify', '--man=no', unit])).toBe('')
    writeFileSync(unit, `${readRepositoryFile(UNIT)}[Service]\nRestart=allways\n`)
    expect(() => outputOf('systemd-analyze', ['verify', '--man=no', unit])).toThrow()
  })

  it('has an exposure of at most 1.5 out of 10', (context) => {
    needPrograms(context, 'systemd-analyze')
    const report = outputOf('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT])
    const [, level] = /Overall exposure level for \S+: (\S+)/.exec(report)!
    expect(Number(level)).toBeLessThanOrEqual(1.5)
  })

  it('uses only existing settings, and matches their defaults', () => {
    using folder = new TemporaryFolder()
    writeFileSync(join(folder.path, 'admin-token'), TOKEN)
    writeFileSync(join(folder.path, 'encryption-key'), Buffer.alloc(32).toString('base64'))
    expect(parseConfig(environmentOf(folder.path))).toMatchObject({ adminPort: 4802 })
    expect(valuesOf('LimitNOFILE')).toEqual([SETTINGS.maxOpenFiles.default])
    const [stop] = valuesOf('TimeoutStopSec')
    expect(Number.parseInt(stop!, 10) * 1000).toBeGreaterThan(
      SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default) + 5_000,
    )
  })

  it('permits every system call of the service', async (context) => {
    needRoot(context)
    needPrograms(context, 'systemd-analyze', 'strace', 'unshare', 'setpriv')
    await using receiver = await CountingReceiver.open({ random: () => 1, failing: 0 })
    await using service = await RestrictedService.start()
    const api = new ManagementApi(service.adminUrl, TOKEN)
    await useOnce({ url: service.url, api, receiver })
    expect((await api.request('GET', 'backup')).status).toBe(200)
    expect(await service.stop(), service.stderr).toBe(0)
    const permitted = valuesOf('RestrictAddressFamilies').join(' ').split(' ')
    const families = service.socketFamilies()
    expect(families).toContain('AF_INET')
    expect(families.filter((family) => !permitted.includes(family))).toEqual([])
    // SQLite as root tries to change the owner of files, and ignores a failure.
    expect(service.refusedCalls().filter((name) => name !== 'fchown')).toEqual([])
  })
})
