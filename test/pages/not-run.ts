/** The pages with blocks that no test can run, and why. */
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
  'docs/guides/install.md': 'it installs tarballs in another folder, which the release tries',
  'packages/client/README.md': 'the package is not in a registry; the release tries its tarball',
  'clients/go/README.md': 'the module is at no address yet; test/client-go uses its folder',
  'docs/tutorials/migrate-from-rudderstack.md': 'installs a package from the registry',
  'docs/guides/cluster.md': 'it needs servers of PostgreSQL and NATS; test/cluster starts them',
  'docs/guides/backups.md': 'they need Docker, systemd, or the table of cron',
  'docs/guides/deploying.md': 'they need root, systemd, or Docker; test/deploy tries the files',
  'docs/guides/reverse-proxy.md':
    'they need root, a domain, or another machine; test/deploy tries the files',
  'docs/guides/run-book.md': 'they need systemd, Docker, or a destination that fails',
  'docs/guides/upgrading.md': 'they need root, systemd, or Docker',
}

/** Commands that `.ci/run` runs itself, in a clone. */
export const RUN_BY_CI: readonly string[] = ['npm ci', 'npm test']
