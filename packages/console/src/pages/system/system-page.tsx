import type { ReactElement } from 'react'
import { type Role, useHasRole } from '../../api/session.ts'
import { TabList } from '../../design/controls/tab-list.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { SessionsTab } from './access/sessions-tab.tsx'
import { TokensTab } from './access/tokens-tab.tsx'
import { AuditTab } from './audit/audit-tab.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'

interface Tab {
  readonly words: string
  readonly needs: Role
  readonly Content: () => ReactElement
}

const TABS: Readonly<Record<string, Tab>> = {
  overview: { words: 'Overview', needs: 'viewer', Content: OverviewTab },
  settings: { words: 'Settings', needs: 'viewer', Content: SettingsTab },
  tokens: { words: 'Tokens', needs: 'admin', Content: TokensTab },
  sessions: { words: 'Sessions', needs: 'viewer', Content: SessionsTab },
  audit: { words: 'Audit', needs: 'admin', Content: AuditTab },
}

export function SystemPage(): ReactElement {
  const [search, setUrl] = useUrlState<'tab'>()
  const isAdmin = useHasRole('admin')
  const tabs = Object.entries(TABS).filter(([, { needs }]) => isAdmin || needs === 'viewer')
  const [tab, { Content }] = tabs.find(([name]) => name === search.tab) ?? tabs[0]!
  // Filters and drawers belong to one tab.
  const openTab = (next: string): void => {
    const cleared = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    setUrl({ ...cleared, tab: next === 'overview' ? undefined : next }, { push: true })
  }
  return (
    <>
      <PageHeading title="System" />
      <TabList
        label="System"
        tabs={tabs.map(([name, { words }]) => [name, words] as const)}
        value={tab}
        onChange={openTab}
      >
        <Content />
      </TabList>
    </>
  )
}
