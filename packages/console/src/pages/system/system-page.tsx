import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function SystemPage(): ReactElement {
  return <PageHeading title="System" />
}
