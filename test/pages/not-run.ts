/** Pages with blocks that no test can run, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/clients/browser.md': 'installs packages from the registry; test/compat runs the programs',
  'docs/clients/dotnet.md': 'no registry that our tests reach has the package',
  'docs/clients/go.md': 'installs modules from the registry; test/compat runs the programs',
  'docs/clients/node.md': 'installs packages from the registry; test/compat runs the programs',
  'docs/clients/php.md': 'no registry that our tests reach has the package',
  'docs/clients/python.md': 'installs a package from the registry; test/compat runs the program',
  'docs/clients/react-native.md':
    'installs packages from the registry; test/compat runs the library',
  'docs/clients/ruby.md': 'no registry that our tests reach has the package',
  'docs/clients/rust.md': 'installs crates from the registry; test/compat runs the program',
  'docs/guides/install.md': 'installs tarballs in another folder, which the release tests',
  'packages/client/README.md': 'the package is not in a registry; the release tests its tarball',
  'clients/go/README.md': 'the module is not published yet; test/client-go uses its folder',
  'docs/tutorials/migrate-from-rudderstack.md': 'installs a package from the registry',
  'docs/guides/cluster.md': 'needs PostgreSQL and NATS servers; test/cluster starts them',
  'docs/guides/backups.md': 'needs Docker, systemd or cron',
  'docs/guides/deploying.md': 'needs root, systemd or Docker; test/deploy tests the files',
  'docs/guides/receivers.md': 'needs a running service; test/e2e tests keys',
  'docs/guides/webhook-limits.md': 'needs a running service; test/e2e tests limits',
  'docs/guides/alerts.md':
    'needs a mail server and a host name; packages/server/test and test/e2e test email',
  'docs/guides/traces.md': 'needs a collector; test/e2e has one',
  'docs/guides/reverse-proxy.md':
    'needs root, a domain or another machine; test/deploy tests the files',
  'docs/guides/runbook.md': 'needs systemd, Docker or a failing destination',
  'docs/guides/upgrading.md': 'needs root, systemd or Docker',
}

/** Commands that `.ci/run` runs itself, in a clone. */
export const RUN_BY_CI: readonly string[] = ['npm ci', 'npm test']
