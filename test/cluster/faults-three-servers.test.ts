import { testFaults } from './fault-lives.ts'

testFaults(3)
