import { testLibraries } from '../suite.ts'
import { RUST_LIBRARIES } from './libraries.ts'

testLibraries('Rust', RUST_LIBRARIES)
