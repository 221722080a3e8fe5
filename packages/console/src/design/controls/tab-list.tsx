import * as Tabs from '@radix-ui/react-tabs'
import type { ReactElement, ReactNode } from 'react'

interface TabListProps {
  readonly label: string
  readonly tabs: readonly (readonly [value: string, words: string])[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ReactNode
}

export function TabList({ label, tabs, value, onChange, children }: TabListProps): ReactElement {
  return (
    <Tabs.Root value={value} onValueChange={onChange} className="min-w-0">
      <Tabs.List aria-label={label} className="border-line mb-4 flex flex-wrap gap-x-1 border-b">
        {tabs.map(([each, words]) => (
          <Tabs.Trigger
            key={each}
            value={each}
            className="text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink -mb-px border-b-2 border-transparent px-3 py-1.5 font-medium whitespace-nowrap outline-offset-[-2px]"
          >
            {words}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content value={value}>{children}</Tabs.Content>
    </Tabs.Root>
  )
}
