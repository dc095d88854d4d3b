# frozen_string_literal: true

require 'json'
require_relative '../support/clock'

# Sends mails, one after the other.
module Post
  MAX_SIZE = 10 * 1024

  class Error < StandardError; end

  class Bounced < Mail::Error
    attr_reader :address, :code

    def initialize(address, code: 550)
      super("#{address} bounced")
      @address = address
      @code = code
    end
  end

  # Keeps mails until
  # they are sent.
  class Outbox < Struct.new(:host)
    include Enumerable
    extend Post::Logging

    class << self
      def open(path)
        new(path).tap(&:load)
      end
    end

    def self.default
      @default ||= Outbox.open('outbox')
    end

    def each(&block)
      return enum_for(:each) unless block_given?

      mails.each do |mail|
        yield deliver(mail)
      end
    end

    # Is there nothing?
    def empty?
      mails.empty?
    end

    def <<(mail)
      mails << mail
      self
    end

    alias add <<

    private

    def deliver(mail)
      transport.send!(mail.to_s)
    rescue Net::ReadTimeout => e
      logger.warn(e.message)
      raise Bounced.new(mail.address)
    end

    def mails = @mails ||= Post::Store.load(host).mails
  end

  def self.configure
    yield Config.instance
  end
end

Post.configure do |config|
  config.host = ENV.fetch('MAIL_HOST')
end
