import Foundation
import struct Network.Endpoint
@testable import Shop

/// How often a request is tried again.
let maxRetries = 3

private var sharedCache: [String: Data] = [:]

typealias Completion = (Result<Data, Error>) -> Void

/// What can be sent.
public protocol Sendable: AnyObject {
    associatedtype Body
    var url: URL { get }
    func send(_ body: Body) throws
    init(url: URL)
}

enum RequestError: Error {
    case timeout(seconds: Int)
    case refused, unknown

    var text: String {
        switch self {
        case .timeout: return "timeout"
        default: return describe(self)
        }
    }
}

/**
 A request with retries.
 */
open class Request<Body: Codable>: NSObject, Sendable {
    static let shared = Request(url: URL(string: "https://example.org")!)
    public let url: URL
    private(set) var tries = 0

    public required init(url: URL) {
        self.url = url
        super.init()
    }

    deinit { cancel() }

    // Sends it, waiting longer each time.
    func send(_ body: Body) throws {
        guard tries < maxRetries else { throw RequestError.timeout(seconds: tries) }
        tries += 1
        let data = try JSONEncoder().encode(body)
        session.upload(data) { [weak self] in self?.finish($0) }
    }

    @discardableResult
    private func finish(_ response: Response) -> Bool {
        return response.isValid()
    }

    subscript(index: Int) -> Int { return index }
}

struct Backoff: Equatable {
    var base = 1.0
    static func == (a: Backoff, b: Backoff) -> Bool { a.base == b.base }
    mutating func next() -> Double { base *= 2; return base }
}

extension Request: CustomStringConvertible {
    public override var description: String { "Request(\(url))" }

    func cancel() { URLSession.shared.invalidateAndCancel() }
}

actor Queue {
    func push(_ request: Request<Data>) async { await Task.yield() }
}

fileprivate func describe(_ error: RequestError) -> String {
    String(describing: error)
}

infix operator <+>: AdditionPrecedence
