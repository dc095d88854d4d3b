defmodule Shop.Cart do
  @moduledoc """
  A cart that lives in a process.
  """
  use GenServer
  import Ecto.Query, only: [from: 2]
  alias Shop.{Item, Price}
  alias Shop.Store, as: S
  require Logger

  @behaviour Shop.Container

  @max_items 100
  @type t :: %__MODULE__{items: [Item.t()]}

  defstruct items: [], total: 0

  @doc """
  Starts an empty cart.
  """
  @spec start_link(keyword) :: GenServer.on_start()
  def start_link(opts \\ []) do
    GenServer.start_link(__MODULE__, opts, name: __MODULE__)
  end

  @doc "Adds an item."
  def add(cart, %Item{} = item) when is_map(cart) do
    cart
    |> check_size()
    |> Map.update!(:items, &[item | &1])
    |> recount()
  end

  @impl true
  def handle_call({:add, item}, _from, state) do
    Logger.info("adding")
    {:reply, :ok, add(state, item)}
  end

  def empty?(%{items: []}), do: true
  def empty?(_cart), do: false

  # Only within bounds.
  defp check_size(cart) do
    if length(cart.items) >= @max_items, do: raise("full")
    cart
  end

  defp recount(cart), do: %{cart | total: Price.sum(cart.items)}

  defmacro log_all(message) do
    quote do: Logger.debug(unquote(message))
  end

  defguard is_full(cart) when length(cart) > 100

  defdelegate fetch(id), to: S

  defmodule Error do
    defexception message: "cart failed"
  end
end

defprotocol Shop.Sized do
  @doc "How big it is."
  def size(thing)
end

defimpl Shop.Sized, for: Shop.Cart do
  def size(cart), do: length(cart.items)
end
