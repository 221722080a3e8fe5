// A stub of React Native's native side. It is installed in node_modules as the package react-native.

/** The device information of a phone. */
const CONTEXT = {
  appName: 'Läden',
  appVersion: '1.2.3',
  buildNumber: '45',
  bundleId: 'com.example.shop',
  locale: 'de-DE',
  networkType: 'wifi',
  osName: 'iOS',
  osVersion: '17.1',
  screenHeight: 800,
  screenWidth: 400,
  timezone: 'Europe/Berlin',
  manufacturer: 'Apple',
  model: 'iPhone',
  deviceName: 'iPhone',
  deviceId: 'device-1',
  deviceType: 'ios',
}

const subscription = { remove: () => {} }
const NativeModules = { Sovran: {}, AnalyticsReactNative: { getContextInfo: async () => CONTEXT } }

module.exports = {
  NativeModules,
  TurboModuleRegistry: { get: () => null, getEnforcing: (name) => NativeModules[name] },
  NativeEventEmitter: class {
    addListener() {
      return subscription
    }
  },
  Platform: { OS: 'ios', select: (choices) => choices.ios ?? choices.default },
  AppState: { currentState: 'active', addEventListener: () => subscription },
  Linking: { getInitialURL: async () => null, addEventListener: () => subscription },
}
